/** Connections to backends and requests to them: light, unlike the rest of the package. */
export { type BackendDialer, type BackendLocation, type BackendTransport, hostOf, locationText } from './backend.js';
export { dialErrorText, ioTimeout } from './dial-error.js';
export { fetchKept, type KeptRequest } from './fetch-kept.js';
export { type HttpProxies, httpProxiesOf, proxyErrorText } from './http-proxies.js';
export { readText } from './read-text.js';
export { connectVerified, type ExpectedServer } from './verified-tls.js';
