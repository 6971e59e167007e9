export { type DecodingSteps, stepsWithinStack } from './canonical/decoding-steps.js';
export { compileKind } from './compile-kind.js';
export type { Decoded, KeptAs, KindCodec } from './kind-codec.js';
