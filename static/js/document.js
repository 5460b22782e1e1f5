// The page of one document.
import { keepKeys, startMarks } from "./marks.js";

startMarks();
keepKeys();
