// Playwright 1.65 asks of each context that the media features be overridden, which Firefox 153 does not know. Its refusal is let go.
const Module = require("module");
const load = Module._extensions[".js"];
const ASKING = /(await this\.[\w.]+\.send\("emulation\.setMediaFeaturesOverride", \{[\s\S]*?\n {8}\}\));/g;
Module._extensions[".js"] = (module, file) => {
  if (file.endsWith("coreBundle.js")) {
    const compile = module._compile;
    module._compile = function compileShimmed(source, name) {
      return compile.call(this, source.replace(ASKING, "$1.catch(() => {});"), name);
    };
  }
  return load(module, file);
};
