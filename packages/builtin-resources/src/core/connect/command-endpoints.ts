import type { PodAttachOptions, PodExecOptions, PodPortForwardOptions } from '@apiserver/api/core/v1';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import type { ConnectEndpoint, VerbContext } from '@apiserver/apiserver-contracts';
import type { BackendLocation } from '@apiserver/proxy';
import type { ConnectionOptions } from './connections.js';
import { containerOf } from './container-of.js';
import { ensureAuthorizedToCreate } from './ensure-authorized.js';
import { type KubeletConnection, kubeletConnection } from './kubelet-connection.js';
import { namedByRequest } from './named-by-request.js';

/** GET is for WebSockets, POST for SPDY. Upstream: upgradeableMethods in pkg/registry/core/pod/rest/subresources.go */
const METHODS = ['GET', 'POST'];

/** The verbs of commands in discovery. */
export const COMMAND_VERBS: readonly string[] = ['create', 'get'];

/** A path at a kubelet. */
interface KubeletLocation {
  readonly kubelet: KubeletConnection;
  readonly location: BackendLocation;
}

/** Runs a command in a container. Upstream: ExecREST */
export function execEndpoint(options: ConnectionOptions): ConnectEndpoint<PodExecOptions> {
  return commandEndpoint(options, 'exec', ({ command }) => command ?? []);
}

/** Attaches to the process of a container. Upstream: AttachREST */
export function attachEndpoint(options: ConnectionOptions): ConnectEndpoint<PodAttachOptions> {
  return commandEndpoint(options, 'attach', () => []);
}

/** Forwards ports of a pod. Kubelets without WebSocket support receive SPDY. Upstream: PortForwardREST */
export function portForwardEndpoint(options: ConnectionOptions): ConnectEndpoint<PodPortForwardOptions> {
  const isTunnelling = options.features.enabled('PortForwardWebsockets');
  return {
    methods: METHODS,
    async connect(context, name, { ports }, exchange) {
      await ensureAuthorizedToCreate(options, exchange);
      const query = new URLSearchParams();
      if (ports !== undefined && ports.length > 0) query.set('port', ports.join(','));
      const { kubelet, location } = await podLocation(options, context, { name, query, action: 'portForward' });
      const { asksForTunnel, proxyRequest, tunnelStreams } = await import('@apiserver/proxy');
      const { transport } = kubelet;
      const { maxBytesPerSec, metrics } = options;
      if (isTunnelling && asksForTunnel(exchange.request)) {
        metrics.streamRouted('portforward', kubelet.speaksWebSocket ? 'proxied_to_kubelet' : 'tunneled_at_apiserver');
        if (!kubelet.speaksWebSocket) {
          return tunnelStreams(exchange, { location, transport, maxBytesPerSec, responded: metrics.streamTunnelled });
        }
      }
      return proxyRequest(exchange, { location, transport, maxBytesPerSec, upgradeRequired: true });
    },
  };
}

type CommandOptions = Pick<PodAttachOptions, 'container' | 'stdin' | 'stdout' | 'stderr' | 'tty'>;

/** Kubelets without WebSocket support receive the streams over SPDY. */
function commandEndpoint<O extends CommandOptions>(
  options: ConnectionOptions,
  action: 'exec' | 'attach',
  commandOf: (command: O) => readonly string[],
): ConnectEndpoint<O> {
  const isTranslating = options.features.enabled('TranslateStreamCloseWebsocketRequests');
  return {
    methods: METHODS,
    async connect(context, name, command, exchange) {
      await ensureAuthorizedToCreate(options, exchange);
      const query = streamQuery(command, commandOf(command));
      const { container = '' } = command;
      const { kubelet, location } = await podLocation(options, context, { name, query, action, container });
      const { asksForStreamClose, proxyRequest, translateStreams } = await import('@apiserver/proxy');
      const { transport } = kubelet;
      const { maxBytesPerSec, metrics } = options;
      if (isTranslating && asksForStreamClose(exchange.request)) {
        metrics.streamRouted(action, kubelet.speaksWebSocket ? 'proxied_to_kubelet' : 'translated_at_apiserver');
        if (!kubelet.speaksWebSocket) {
          const { stdin = false, stdout = false, stderr = false, tty = false } = command;
          const streams = { stdin, stdout, stderr, tty };
          return translateStreams(exchange, {
            location,
            transport,
            streams,
            maxBytesPerSec,
            ended: metrics.streamTranslated,
          });
        }
      }
      return proxyRequest(exchange, { location, transport, maxBytesPerSec, upgradeRequired: true });
    },
  };
}

/** Upstream: streamParams in pkg/registry/core/pod/strategy.go; names of pkg/apis/core/types.go */
function streamQuery({ stdin, stdout, stderr, tty }: CommandOptions, command: readonly string[]): URLSearchParams {
  const query = new URLSearchParams();
  for (const word of command) query.append('command', word);
  if (stderr) query.append('error', '1');
  if (stdin) query.append('input', '1');
  if (stdout) query.append('output', '1');
  if (tty) query.append('tty', '1');
  return query;
}

interface PodAction {
  readonly name: string;
  readonly action: string;
  readonly query: URLSearchParams;
  /** Absent if no container is concerned; "" for the only one. */
  readonly container?: string;
}

/** Upstream: streamLocation and PortForwardLocation in pkg/registry/core/pod/strategy.go */
async function podLocation(
  options: ConnectionOptions,
  { namespace }: VerbContext,
  { name, action, query, container }: PodAction,
): Promise<KubeletLocation> {
  const pod = await options.objects.pod(namespace, name);
  const behind = container === undefined ? '' : `/${containerOf(pod, container)}`;
  const { nodeName = '' } = pod.spec;
  if (nodeName === '') throw newBadRequest(`pod ${name} does not have a host assigned`);
  const kubelet = await namedByRequest('pods', nodeName, kubeletConnection(options, nodeName));
  return {
    kubelet,
    location: {
      scheme: 'https',
      hostname: kubelet.hostname,
      port: kubelet.port,
      path: `/${action}/${namespace}/${name}${behind}`,
      rawQuery: query.toString(),
    },
  };
}
