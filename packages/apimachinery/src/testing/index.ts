export { certificateRequests } from './certificate-requests.js';
