/** Decoding of the reviews that webhooks return. */
export { ReviewDecoder, type ReviewDecoderOptions } from './review-decoder.js';
export { typeMetaOf } from './type-meta.js';
