/** Signs and verifies the tokens of service accounts by another program, loaded on demand. */
export { startExternalSigner } from './external-signer.js';
