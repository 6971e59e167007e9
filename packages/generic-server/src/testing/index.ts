/** For tests of filters, handlers and whole servers. */
export { callHandler, createInProcessExchange, type TestAnswer, type TestCall } from './call-handler.js';
