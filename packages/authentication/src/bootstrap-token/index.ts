/** Tokens that nodes join with. */
export {
  type BootstrapSecret,
  type BootstrapTokenOptions,
  bootstrapTokenAuthenticator,
} from './bootstrap-token-authenticator.js';
