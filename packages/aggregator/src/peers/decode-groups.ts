import { type APIGroupDiscovery, APIGroupDiscoveryList } from '@apiserver/api/apidiscovery/v2';
import { createDiscoveryCodecs } from '@apiserver/endpoints-installer';

const API_VERSION = 'apidiscovery.k8s.io/v2';
const API_VERSIONS: readonly string[] = [API_VERSION];
const KIND = 'APIGroupDiscoveryList';

/** Not a bug: a server without aggregated discovery. */
class OtherKindError extends Error {
  override readonly name = 'OtherKindError';
}

/**
 * Makes a function that returns the groups in a document of aggregated discovery. It throws an Error for another
 * document. `apiVersions`: those that are taken, whose fields are the same. Default: v2 alone.
 * Upstream: aggregateDiscovery of k8s.io/apiserver/pkg/util/peerproxy/peer_discovery.go
 */
export function createGroupsDecoder(apiVersions = API_VERSIONS): (body: Uint8Array) => readonly APIGroupDiscovery[] {
  const codec = createDiscoveryCodecs()(APIGroupDiscoveryList);
  return (body) => {
    const { apiVersion, kind, items } = codec.decodeJson(body, 'Ignore').object;
    // As in upstream's decoder, absent names count as the expected ones.
    const [givenVersion, givenKind] = [apiVersion || API_VERSION, kind || KIND];
    if (!apiVersions.includes(givenVersion) || givenKind !== KIND) {
      const reason = `no kind "${givenKind}" is registered for version "${givenVersion}"`;
      throw new OtherKindError(`error decoding discovery response: ${reason}`);
    }
    return items ?? [];
  };
}
