import { Buffer } from 'node:buffer';
import { encodeYaml } from '@apiserver/apimachinery/codec/yaml';

import type { ApiResponse, Exchange, Handler } from '@apiserver/apiserver-contracts';
import {
  isPretty,
  negotiateOutput,
  notAcceptable,
  type OutputMediaType,
  plainOutputOnly,
  respondStatus,
} from '@apiserver/endpoints-installer';
import type { ZPagesOptions } from './z-pages-options.js';

const TEXT = 'text/plain';
const STRUCTURED = ['application/json', 'application/yaml'] as const;
const GROUP = 'config.k8s.io';
/** Version and whether it is deprecated. */
const VERSIONS: ReadonlyMap<string, boolean> = new Map([
  ['v1alpha1', true],
  ['v1beta1', false],
]);
/** Upstream discourages programs from reading the text: its separator is random. */
const DELIMITERS = [':', ': ', '=', ' '];

type PageMediaType = (typeof STRUCTURED)[number] | typeof TEXT | 'application/cbor';

/** One page. Upstream: pkg/server/statusz and pkg/server/flagz of k8s.io/apiserver */
export interface ZPage {
  readonly kind: 'Statusz' | 'Flagz';
  /** The page as text below its head. */
  text(delimiter: string): string;
  /** The fields of the object besides its kind and name. */
  fields(): Readonly<Record<string, unknown>>;
}

/** Serves a page as text, or as an object of config.k8s.io if the client asks for one. */
export function zPageHandler(page: ZPage, options: ZPagesOptions): Handler {
  const { config, metrics } = options;
  const supported: readonly PageMediaType[] = [
    ...STRUCTURED,
    TEXT,
    ...(config.cbor ? ['application/cbor' as const] : []),
  ];
  const resource = page.kind.toLowerCase();
  const count = (exchange: Exchange, group: string, version: string) =>
    metrics.monitor(exchange, { group, version, resource, component: COMPONENT });
  const delimiterOf = onceForEachFlagz(page, config.random);
  return (exchange) => {
    const accept = exchange.request.headers.get('accept')?.trim() || TEXT;
    const output = negotiateOutput<PageMediaType>(accept, supported, restrictionsOf(page));
    if (output?.transform === undefined) count(exchange, '', '');
    if (output === undefined) return refuse(exchange, supported);
    if (output.transform === undefined) return respondText(exchange, page, delimiterOf());
    const { version } = output.transform;
    count(exchange, GROUP, version);
    if (VERSIONS.get(version) === true) noteDeprecated(exchange, page, { version, ...options });
    return respondObject(exchange, page, { output, version, cbor: config.cbor });
  };
}

const COMPONENT = 'apiserver';

interface DeprecatedVersion extends Pick<ZPagesOptions, 'deprecatedRequests'> {
  readonly version: string;
}

/** Upstream: MonitorRequest of k8s.io/apiserver/pkg/endpoints/metrics */
function noteDeprecated(exchange: Exchange, { kind }: ZPage, { version, deprecatedRequests }: DeprecatedVersion): void {
  const resource = kind.toLowerCase();
  exchange.responseHeaders.set(
    'warning',
    `299 - "This version of the ${resource} endpoint is deprecated. Please use a newer version."`,
  );
  deprecatedRequests({ group: GROUP, version, resource, subresource: '', removedRelease: '' })();
  exchange.context.audit?.annotate('k8s.io/deprecated', 'true');
}

/** The pages know no protobuf, not even for errors. */
function refuse(exchange: Exchange, supported: readonly PageMediaType[]): ApiResponse {
  const { status } = notAcceptable(supported);
  const output = negotiateOutput(exchange.request.headers.get('accept'), STRUCTURED, plainOutputOnly);
  const byDefault = { mediaType: STRUCTURED[0], transform: undefined, pretty: true };
  return respondStatus(exchange, 406, status, { output: output ?? byDefault });
}

/** The text of flags is made once, so its delimiter stays. */
function onceForEachFlagz({ kind }: ZPage, random: () => number): () => string {
  const choose = () => DELIMITERS[Math.floor(random() * DELIMITERS.length)] ?? ':';
  let kept: string | undefined;
  return () => {
    if (kind === 'Statusz') return choose();
    kept ??= choose();
    return kept;
  };
}

function restrictionsOf({ kind }: ZPage) {
  return {
    allowsTransform: (mediaType: PageMediaType, target: OutputMediaType['transform']) =>
      mediaType === TEXT
        ? target === undefined
        : target?.kind === kind && target.group === GROUP && VERSIONS.has(target.version),
    allowsServerVersion: () => false,
  };
}

function respondText(exchange: Exchange, page: ZPage, delimiter: string): ApiResponse {
  const warning =
    'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
  exchange.responseHeaders.set('content-type', 'text/plain; charset=utf-8');
  const text = `\n${COMPONENT} ${page.kind.toLowerCase()}\n${warning}\n${page.text(delimiter)}`;
  return { type: 'bytes', status: 200, body: Buffer.from(text) };
}

interface ObjectForm {
  readonly output: OutputMediaType<PageMediaType>;
  readonly version: string;
  readonly cbor: ZPagesOptions['config']['cbor'];
}

function respondObject(exchange: Exchange, page: ZPage, { output, version, cbor }: ObjectForm): ApiResponse {
  const { request, responseHeaders } = exchange;
  const { mediaType } = output;
  const object = {
    kind: page.kind,
    apiVersion: `${GROUP}/${version}`,
    metadata: { name: COMPONENT },
    ...page.fields(),
  };
  responseHeaders.set('content-type', `${mediaType};g=${GROUP};v=${version};as=${page.kind}`);
  return {
    type: 'bytes',
    status: 200,
    body: encode(object, mediaType, { isIndented: output.pretty || isPretty(request), cbor }),
  };
}

interface Encoding {
  readonly isIndented: boolean;
  readonly cbor: ZPagesOptions['config']['cbor'];
}

/** Members keep their order, as those of Go's structs do. */
function encode(object: object, mediaType: PageMediaType, { isIndented, cbor }: Encoding): Uint8Array {
  if (mediaType === 'application/yaml') return encodeYaml(object);
  if (mediaType === 'application/cbor' && cbor !== undefined) {
    return Buffer.concat([cbor.SELF_DESCRIBED_CBOR, cbor.encodeCborValue(object)]);
  }
  const text = isIndented ? JSON.stringify(object, undefined, 2) : `${JSON.stringify(object)}\n`;
  return Buffer.from(text.replaceAll(/[<>&\u2028\u2029]/g, escapeCharacter));
}

/** Upstream: encoding/json with its HTML escaping */
function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
