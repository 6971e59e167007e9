/** The extra key under which an authenticator reports the ID of the credential. Upstream: user.CredentialIDKey */
export const CREDENTIAL_ID_KEY = 'authentication.kubernetes.io/credential-id';
