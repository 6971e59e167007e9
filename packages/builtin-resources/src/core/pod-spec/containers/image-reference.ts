const IMAGE_ID = /^[a-f0-9]{64}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DOMAIN =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const PATH_COMPONENT = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 255;

/**
 * The tag of an image; "latest" if it has neither tag nor digest. Undefined for an invalid reference.
 * Upstream: ParseImageName of pkg/util/parsers/parsers.go
 */
export function imageTag(image: string): string | undefined {
  const [named = '', digest, ...more] = image.split('@');
  const colon = named.lastIndexOf(':');
  const tagged = colon > named.lastIndexOf('/');
  const name = tagged ? named.slice(0, colon) : named;
  const tag = tagged ? named.slice(colon + 1) : undefined;
  const isSound =
    more.length === 0 &&
    !IMAGE_ID.test(image) &&
    isImageName(name) &&
    (tag === undefined || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest));
  if (!isSound) return undefined;
  return tag ?? (digest === undefined ? 'latest' : undefined);
}

function isImageName(name: string): boolean {
  const components = name.split('/');
  const [first = ''] = components;
  const hasDomain = components.length > 1 && (/[.:A-Z]/.test(first) || first === 'localhost');
  if (hasDomain && !DOMAIN.test(first)) return false;
  return (
    name.length <= MAX_NAME_LENGTH && components.slice(hasDomain ? 1 : 0).every((part) => PATH_COMPONENT.test(part))
  );
}
