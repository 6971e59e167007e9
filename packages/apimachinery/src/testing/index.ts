export { certificateRequests } from './certificate-requests.js';
export { eventLoopTurns } from './event-loop-turns.js';
export {
  makeTestCertificate,
  makeTestCertificateRequest,
  type TestCertificate,
  type TestCertificateOptions,
  type TestCertificateRequest,
  testKeyUsage,
} from './make-certificate.js';
export { ManualClock } from './manual-clock.js';
export { SettableClock } from './settable-clock.js';
export { WorkCounter } from './work-counter.js';
