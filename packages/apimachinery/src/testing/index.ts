export { certificateRequests } from './certificate-requests.js';
export { eventLoopTurns } from './event-loop-turns.js';
export { WorkCounter } from './work-counter.js';
