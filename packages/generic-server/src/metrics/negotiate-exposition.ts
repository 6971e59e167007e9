import type { RequestHeaders } from '@apiserver/apiserver-contracts';
import { parseAccept } from '@apiserver/endpoints-installer';

/** The forms of metrics. Upstream has two more: protobuf as text, in two layouts. */
export interface ExpositionFormat {
  readonly form: 'text' | 'protobuf';
  readonly contentType: string;
}

const CONTENT_TYPES = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  protobuf: 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
} as const;

const ESCAPINGS: ReadonlySet<string> = new Set(['allow-utf-8', 'underscores', 'dots', 'values']);

/**
 * The form that a client prefers. The escaping of names only shows in the content type: no name needs it.
 *
 * Upstream: Negotiate in github.com/prometheus/common/expfmt
 */
export function negotiateExposition(accept: string): ExpositionFormat {
  let escaping = 'underscores';
  const result = (form: ExpositionFormat['form']) => ({
    form,
    contentType: `${CONTENT_TYPES[form]}; escaping=${escaping}`,
  });
  for (const { type, subtype, params } of parseAccept(accept)) {
    const asked = params.get('escaping') ?? '';
    if (ESCAPINGS.has(asked)) escaping = asked;
    if (`${type}/${subtype}` === 'application/vnd.google.protobuf') {
      if (params.get('proto') === 'io.prometheus.client.MetricFamily' && params.get('encoding') === 'delimited') {
        return result('protobuf');
      }
    }
    if (`${type}/${subtype}` === 'text/plain' && ['0.0.4', undefined].includes(params.get('version'))) {
      return result('text');
    }
  }
  return result('text');
}

/** Maximum number of codings of a header that count. Clients send a few. */
const MAX_CODINGS = 100;

const CODING = /^([!#$%&'*+\-.^_`|~0-9A-Za-z/]+)[ \t]*(?:(;)[ \t]*(?:q=([01](?:\.[0-9]*)?))?)?[ \t]*/;

/**
 * Reports whether gzip is preferred to no compression. Entries behind a malformed one do not count.
 *
 * Upstream: NegotiateContentEncoding in github.com/prometheus/client_golang
 */
export function prefersCompression(headers: Pick<RequestHeaders, 'all'>): boolean {
  const qualities = { identity: -1, gzip: -1 };
  for (const header of headers.all('accept-encoding')) {
    for (const { coding, quality } of acceptedCodings(header)) {
      for (const offer of ['identity', 'gzip'] as const) {
        if (coding === '*' || coding === offer) qualities[offer] = Math.max(qualities[offer], quality);
      }
    }
  }
  return qualities.gzip > 0 && qualities.gzip > qualities.identity;
}

function* acceptedCodings(header: string): Generator<{ readonly coding: string; readonly quality: number }> {
  for (const part of header.split(',', MAX_CODINGS)) {
    const entry = part.trimStart();
    const [all = '', coding, parameter, quality] = CODING.exec(entry) ?? [];
    if (coding === undefined || (parameter !== undefined && quality === undefined)) return;
    yield { coding, quality: Number(quality ?? 1) };
    if (all.length < entry.length) return;
  }
}
