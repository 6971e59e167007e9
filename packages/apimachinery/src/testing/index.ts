export { certificateRequests } from './certificate-requests.js';
export { eventLoopTurns } from './event-loop-turns.js';
