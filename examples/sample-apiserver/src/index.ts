/** An API server of one kind on the generic server alone. */
export { createSampleServer, type SampleServerOptions } from './create-sample-server.js';
export { type Flunder, flunders } from './flunder.js';
