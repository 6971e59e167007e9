export { keyValueStoreSuite, type OpenKeyValueStore } from './key-value-store-suite.js';
export { ManualClock } from './manual-clock.js';
export { RecordingSink } from './recording-sink.js';
export { temporaryDirectory } from './temporary-directory.js';
