// The page of one document.
import { startZoom } from "../bench/image-zoom.js";
import { keepKeys, startMarks } from "../bench/marks.js";

startMarks();
startZoom();
keepKeys();
