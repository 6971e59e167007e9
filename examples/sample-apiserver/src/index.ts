/** An extension server of one kind. */
export { createSampleServer } from './create-sample-server.js';
export { type Flunder, flunders } from './flunder.js';
