export { BoundedReader } from './bounded-reader.js';
/** gRPC calls to programs on this machine. */
export type { SocketDialer } from './dialled-socket.js';
export { GrpcError, grpcCodeName, grpcErrorText } from './grpc-error.js';
export { LocalGrpcClient } from './local-grpc-client.js';
export { frameMessage, MessageReader } from './message-frames.js';
