/** A proxy's refusal to connect, or an invalid response. */
export class ProxyRefusalError extends Error {}
