const IMAGE_ID = /^[a-f0-9]{64}$/;
const DIGEST = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DOMAIN =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const PATH_COMPONENT = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
/** Of a name without its domain. */
const MAX_PATH_LENGTH = 255;
const DOCKER_HUB = ['docker.io', 'index.docker.io'];
/** Official images of Docker Hub have it in front of their names. */
const OFFICIAL = 'library/';

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
  const path = components.slice(hasDomain ? 1 : 0);
  const isOfficial = path.length === 1 && (!hasDomain || DOCKER_HUB.includes(first));
  const length = path.join('/').length + (isOfficial ? OFFICIAL.length : 0);
  return length <= MAX_PATH_LENGTH && path.every((part) => PATH_COMPONENT.test(part));
}
