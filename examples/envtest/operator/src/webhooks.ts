import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Website } from './website.ts';

interface Status {
  readonly status: 'Success' | 'Failure';
  readonly code?: number;
  readonly message?: string;
}

interface AdmissionRequest {
  readonly uid: string;
  readonly object: Website;
  readonly oldObject: Website | null;
}

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubernetesObject[];
}

/** The webhooks of the operator, as a handler of node:http. */
export async function webhooks(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const review = Object(await json(request));
  const answer = request.url?.startsWith('/convert') ? convert(review.request) : validate(review.request);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response: answer }));
}

const hostName = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

function validate({ uid, object, oldObject }: AdmissionRequest) {
  const message = refusalOf(object, oldObject);
  if (message === undefined) return { uid, allowed: true };
  const status: Status = { status: 'Failure', code: 422, message };
  return { uid, allowed: false, status };
}

function refusalOf({ spec: { hosts } }: Website, before: Website | null): string | undefined {
  const wrong = hosts.find((host) => !hostName.test(host));
  if (wrong !== undefined) return `spec.hosts: "${wrong}" is not the name of a host`;
  if (new Set(hosts).size < hosts.length) return 'spec.hosts: a host is named twice';
  if (before !== null && before.spec.hosts[0] !== hosts[0]) return 'spec.hosts: the first host cannot be changed';
  return undefined;
}

function convert({ uid, desiredAPIVersion, objects }: ConversionRequest) {
  const result: Status = { status: 'Success' };
  return { uid, result, convertedObjects: objects.map((object) => convertTo(desiredAPIVersion, object)) };
}

const otherHosts = 'example.com/other-hosts';

/** v1 has one host. An annotation keeps the others, so that nothing is lost on the way through v1. */
function convertTo(apiVersion: string, object: KubernetesObject): object {
  const { metadata, spec, ...rest } = Object(object);
  const { host, hosts, ...others } = spec;
  const { [otherHosts]: kept, ...annotations } = metadata.annotations ?? {};
  if (apiVersion === 'example.com/v1') {
    const [first, ...more] = hosts;
    const changed = more.length === 0 ? annotations : { ...annotations, [otherHosts]: more.join(' ') };
    return { ...rest, apiVersion, metadata: { ...metadata, annotations: changed }, spec: { host: first, ...others } };
  }
  const all = [host, ...(kept?.split(' ') ?? [])];
  return { ...rest, apiVersion, metadata: { ...metadata, annotations }, spec: { hosts: all, ...others } };
}
