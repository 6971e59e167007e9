/** A proxy's refusal to connect, or an answer that is none. */
export class ProxyRefusalError extends Error {}
