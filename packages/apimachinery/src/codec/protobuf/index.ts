export { encodeWith } from './kept-writer.js';
export { isProtobufObject, unwrapUnknown, wrapUnknown } from './protobuf-envelope.js';
