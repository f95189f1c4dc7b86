const PACKAGE = new URL('../', import.meta.url)

/**
 * A file of this package by its path from the folder of `package.json`, such as `models/detector.onnx`. This module lies in a folder beside it, from
 * the sources as in the built program, whose files all lie in one.
 */
export const packageFile = (path: string): URL => new URL(path, PACKAGE)
