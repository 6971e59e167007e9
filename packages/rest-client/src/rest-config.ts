import type { BackendDialer, BackendTransport } from '@apiserver/proxy/backend';
import type { FollowedText } from './followed-text.js';

/** Milliseconds for connecting, TLS handshake included. Upstream: the dialer of client-go/transport */
const CONNECT_TIMEOUT_MS = 30_000;

/** Another API server, and the credentials to show it. Upstream: k8s.io/client-go/rest.Config */
export interface RestConfig {
  /** Its root. A path in it stands before the paths of all requests. */
  readonly server: ServerRoot;
  /** The same value as long as the files behind it have the same contents, because connections are pooled by it. */
  transport(): BackendTransport;
  /** Headers that prove a user, by their names in lower case. */
  credentials(): Readonly<Record<string, string | readonly string[]>>;
  /** The address to connect to, for each request. Rejects with the reason. Absent: the host and port of `server`. */
  address?(): Promise<ServerAddress>;
}

/** The root of a server: a URL, or its parts with a port that URL would leave out. */
type ServerRoot = Pick<URL, 'protocol' | 'hostname' | 'port' | 'pathname'>;

/** An address of a server. */
export interface ServerAddress {
  /** A name or an IP address; IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** A user to act as. Upstream: rest.ImpersonationConfig */
export interface Impersonation {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Fields of a config. Certificates and keys are PEM; absent texts are "". */
export interface RestConfigFields {
  readonly server: URL;
  readonly ca?: FollowedText;
  readonly certificate?: FollowedText;
  readonly key?: FollowedText;
  readonly verify?: boolean;
  readonly serverName?: string;
  readonly token?: FollowedText;
  /** `user:password` */
  readonly basic?: string;
  readonly impersonation?: Impersonation;
  /** Opens the connections. Default: TCP from this machine. */
  readonly dial?: BackendDialer | undefined;
}

const nothing: FollowedText = () => '';

/** Makes a config. Credentials are sent over TLS only. Upstream: rest.IsConfigTransportTLS */
export function newRestConfig(fields: RestConfigFields): RestConfig {
  const { server } = fields;
  const isSecure = server.protocol === 'https:';
  return { server, transport: transportOf(fields), credentials: () => (isSecure ? credentialsOf(fields) : {}) };
}

function transportOf({ ca = nothing, certificate = nothing, key = nothing, ...fields }: RestConfigFields) {
  const { verify = true, serverName = '', dial } = fields;
  let made: BackendTransport | undefined;
  return (): BackendTransport => {
    const texts = { ca: ca(), certificate: certificate(), key: key() };
    if (made?.ca === texts.ca && made.certificate === texts.certificate && made.key === texts.key) return made;
    const optional = { ...(serverName === '' ? {} : { serverName }), ...(dial && { dial }) };
    made = { ...texts, verify, connectTimeout: CONNECT_TIMEOUT_MS, ...optional };
    return made;
  };
}

function credentialsOf({
  token = nothing,
  basic,
  impersonation,
}: RestConfigFields): ReturnType<RestConfig['credentials']> {
  const bearer = token().trim();
  const authorization = bearer !== '' ? `Bearer ${bearer}` : basic && `Basic ${Buffer.from(basic).toString('base64')}`;
  return {
    ...(authorization ? { authorization } : {}),
    ...(impersonation === undefined ? {} : impersonationHeaders(impersonation)),
  };
}

function impersonationHeaders({ user, uid, groups, extra }: Impersonation) {
  const extras = Object.entries(extra).map(([name, values]) => {
    return [`impersonate-extra-${encodeURIComponent(name.toLowerCase())}`, values] as const;
  });
  return {
    'impersonate-user': user,
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
    ...Object.fromEntries(extras),
  };
}
