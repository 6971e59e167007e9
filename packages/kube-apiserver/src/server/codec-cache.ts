import { compileKind, type KindCodec, type KindSchema } from '@apiserver/apimachinery';

/** Compiles each schema on its first use and then answers the same codec. */
export function createCodecCache(): (schema: KindSchema) => KindCodec {
  const codecs = new WeakMap<KindSchema, KindCodec>();
  return (schema) => {
    const known = codecs.get(schema);
    if (known !== undefined) return known;
    const codec = compileKind(schema);
    codecs.set(schema, codec);
    return codec;
  };
}
