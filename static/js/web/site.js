// What every page starts.
import { startAnew } from "./anew.js";
import { askHere } from "./asking.js";
import { startBesideNav } from "./beside-nav.js";
import { startContext } from "../bench/context.js";
import { startCopy } from "./copy.js";
import { startErrors } from "./errors.js";
import { startKeys } from "../bench/keys.js";
import { startLoggedOut } from "./logged-out.js";
import { measureHead } from "../bench/head.js";
import { startNotices } from "./notices.js";
import { startStatusLine } from "../bench/status-line.js";
import { startTheme } from "./theme.js";
import { tellZone } from "./zone.js";

askHere();
startTheme();
startBesideNav();
startKeys();
startCopy();
startContext();
measureHead();
startStatusLine();
startErrors();
startAnew();
startNotices();
startLoggedOut();
tellZone();
