export { type CheckResult, checkStore } from './check-store.js';
