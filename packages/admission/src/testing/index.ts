export { objectAttributes, testAttributes } from './attributes.js';
export { type TestObjects, type TestPluginDependencies, testPluginDependencies } from './plugin-dependencies.js';
export { type AdmittedSample, admissionPluginSuite } from './plugin-suite.js';
export { outcomeOf, type PolicyCase } from './recorded-policies.js';
export { type AdmissionOutcome, runPlugin } from './run-plugin.js';
