/** An API server of one kind on the generic server alone. */
export { createSampleServer, type SampleServerOptions } from './create-sample-server.js';
export { flunders } from './flunder/definition.js';
export { type Flunder, type FlunderSpec, flunderSchema } from './flunder/schema.js';
