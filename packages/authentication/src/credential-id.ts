/** The extra key under which an authenticator says which credential was shown. Upstream: user.CredentialIDKey */
export const CREDENTIAL_ID_KEY = 'authentication.kubernetes.io/credential-id';
