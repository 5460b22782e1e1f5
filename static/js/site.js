// What every page starts.
import { startContext } from "./context.js";
import { startCopy } from "./copy.js";
import { startErrors } from "./errors.js";
import { startKeys } from "./keys.js";
import { startStatusLine } from "./status-line.js";
import { startTheme } from "./theme.js";

startTheme();
startKeys();
startCopy();
startContext();
startStatusLine();
startErrors();
