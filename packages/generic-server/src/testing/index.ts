/** For tests of filters, handlers and whole servers. */
export { callHandler, createInProcessExchange, type TestCall, type TestResponse } from './call-handler.js';
export { upstreamFlags } from './upstream-flags.js';
