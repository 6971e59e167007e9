/** A certificate that cannot be used. Its message goes to the log. */
export class CertificateError extends Error {}
