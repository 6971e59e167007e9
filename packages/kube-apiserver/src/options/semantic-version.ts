import { ParseError, quote } from '@apiserver/apimachinery/text';

/** A version's numbers. Suffixes do not affect the comparison with this server. */
export interface SemanticVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/**
 * Reads "v1.36.0-alpha.1+build". Throws a ParseError with upstream's text.
 * Upstream: k8s.io/apimachinery/pkg/util/version.ParseSemantic
 */
export function parseSemanticVersion(text: string): SemanticVersion {
  const { quoted, components, extra } = partsOf(text);
  const [major = '', minor = '', patch = ''] = components;
  if (components.length !== 3) throw new ParseError(`illegal version string ${quoted}`);
  refuseLeadingZeros(components, quoted);
  if (extra !== '') checkExtra(extra, quoted);
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/**
 * Reads a version of at least two numbers; what follows them does not count. Throws a ParseError with upstream's text.
 * Upstream: k8s.io/apimachinery/pkg/util/version.Parse
 */
export function parseGenericVersion(text: string): SemanticVersion {
  const { quoted, components } = partsOf(text);
  const [major = '', minor, patch = '0'] = components;
  if (minor === undefined) throw new ParseError(`illegal version string ${quoted}`);
  // Upstream's reading function takes zeros before the other numbers.
  refuseLeadingZeros([major], quoted);
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

interface VersionParts {
  readonly quoted: string;
  readonly components: readonly string[];
  readonly extra: string;
}

function partsOf(text: string): VersionParts {
  const quoted = quote(text);
  const [, numbers, extra = ''] = /^\s*v?(\d+(?:\.\d+)*)(.*)$/.exec(text) ?? [];
  if (numbers === undefined) throw new ParseError(`could not parse ${quoted} as version`);
  return { quoted, components: numbers.split('.'), extra };
}

function checkExtra(extra: string, version: string): void {
  const identifiers = String.raw`[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*`;
  const parts = new RegExp(String.raw`^(?:-(${identifiers}))?(?:\+(${identifiers}))?\s*$`).exec(extra);
  if (parts === null) throw new ParseError(`could not parse pre-release/metadata (${extra}) in version ${version}`);
  const preRelease = parts[1]?.split('.') ?? [];
  refuseLeadingZeros(
    preRelease.filter((component) => /^\d+$/.test(component)),
    version,
  );
}

function refuseLeadingZeros(components: readonly string[], version: string): void {
  for (const component of components) {
    if (!/^0\d/.test(component)) continue;
    throw new ParseError(`illegal zero-prefixed version component ${quote(component)} in ${version}`);
  }
}
