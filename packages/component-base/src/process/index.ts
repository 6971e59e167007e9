export { fileBeside } from './file-beside.js';
export { npmShell, type ProcessOfScript } from './npm-shell.js';
export {
  makePrivateDirectory,
  READ_WITHOUT_WAITING,
  readFileIfPresent,
  readRequiredFile,
  replaceFile,
  writeFileAtomically,
  writeFileDurably,
} from './private-file.js';
export { type SignalSource, shutdownSignal } from './signals.js';
export { orStartupError, orStartupErrorLater, StartupError, startupErrorOf } from './startup-error.js';
export { refuseUnknownOptions } from './unknown-options.js';
export { warnOfStrangers } from './warn-of-strangers.js';
