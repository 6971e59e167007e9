export { objectAttributes, testAttributes } from './attributes.js';
export { type TestObjects, type TestPluginParts, testPluginParts } from './plugin-parts.js';
export { type AdmittedSample, admissionPluginSuite } from './plugin-suite.js';
export { type AdmissionOutcome, runPlugin } from './run-plugin.js';
