import { type Pod, PodLogOptions } from '@apiserver/api/core/v1';
import { newInvalid } from '@apiserver/apimachinery/errors';
import type { StreamEndpoint, VerbContext } from '@apiserver/apiserver-contracts';
import type { BackendLocation } from '@apiserver/proxy';
import type { ConnectionOptions } from './connections.js';
import { containerOf } from './container-of.js';
import { kubeletConnection } from './kubelet-connection.js';
import { ALL_STREAMS, validatePodLogOptions } from './log-validation.js';
import { namedByRequest } from './named-by-request.js';

/** The log of a container, from its kubelet. Upstream: LogREST in pkg/registry/core/pod/rest/log.go */
export function logEndpoint(options: ConnectionOptions): StreamEndpoint<PodLogOptions> {
  return {
    optionsSchema: PodLogOptions,
    async open(context, name, sent) {
      const hasStreams = options.features.enabled('PodLogsQuerySplitStreams');
      const log = hasStreams ? { stream: ALL_STREAMS, ...sent } : sent;
      const errors = validatePodLogOptions(log, hasStreams);
      if (errors.length > 0) throw newInvalid({ group: '', kind: 'PodLogOptions' }, name, errors);
      const pod = await options.objects.pod(context.namespace, name);
      const container = containerOf(pod, log.container ?? '');
      return { content: await contentOf(options, context, pod, { ...log, container }), contentType: 'text/plain' };
    },
  };
}

/** Empty for a pod without a node. Upstream: LogLocation in pkg/registry/core/pod/strategy.go */
async function contentOf(
  options: ConnectionOptions,
  { signal }: VerbContext,
  { metadata: { namespace, name = '' }, spec: { nodeName = '' } }: Pod,
  log: PodLogOptions & { readonly container: string },
): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (nodeName === '') return undefined;
  const { hostname, port, transport, insecureTransport } = await namedByRequest(
    'pods',
    nodeName,
    kubeletConnection(options, nodeName),
  );
  const path = `/containerLogs/${namespace}/${name}/${log.container}`;
  const location: BackendLocation = { scheme: 'https', hostname, port, path, rawQuery: logQuery(log).toString() };
  const { openStream } = await import('@apiserver/proxy');
  const { insecureSkipTLSVerifyBackend = false } = log;
  options.metrics.logRequested(insecureSkipTLSVerifyBackend);
  try {
    return await openStream(location, insecureSkipTLSVerifyBackend ? insecureTransport : transport, {
      resource: { group: '', resource: 'pods/log' },
      name,
      signal,
    });
  } catch (error) {
    // Recognised by its message, as upstream.
    if (error instanceof Error && error.message.includes('x509:')) options.metrics.logTlsFailed();
    throw error;
  }
}

function logQuery(log: PodLogOptions): URLSearchParams {
  const query = new URLSearchParams();
  if (log.follow) query.set('follow', 'true');
  if (log.limitBytes !== undefined) query.set('limitBytes', String(log.limitBytes));
  if (log.previous) query.set('previous', 'true');
  if (log.sinceSeconds !== undefined) query.set('sinceSeconds', String(log.sinceSeconds));
  if (log.sinceTime !== undefined) query.set('sinceTime', log.sinceTime);
  if (log.stream !== undefined) query.set('stream', log.stream);
  if (log.tailLines !== undefined) query.set('tailLines', String(log.tailLines));
  if (log.timestamps) query.set('timestamps', 'true');
  return query;
}
