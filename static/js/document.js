// The page of one document.
import { startZoom } from "./image-zoom.js";
import { keepKeys, startMarks } from "./marks.js";

startMarks();
startZoom();
keepKeys();
