import { ACCESS_CASES } from './cases/accesses.ts';
import { ANONYMOUS_FLOOD_CASES } from './cases/anonymous/floods.ts';
import { ANONYMOUS_CASES } from './cases/anonymous/requests.ts';
import { BINARY_CASES } from './cases/binary.ts';
import { BODY_CASES } from './cases/bodies.ts';
import { CONNECTION_CASES } from './cases/connections.ts';
import { ADMISSION_CROWD_CASES } from './cases/crowds/admission.ts';
import { DEFINITION_CASES } from './cases/custom/definitions.ts';
import { CUSTOM_METADATA_CASES } from './cases/custom/metadata.ts';
import { DEFAULT_CASES } from './cases/defaults.ts';
import { DOCUMENT_CASES } from './cases/documents.ts';
import { EXPRESSION_CASES } from './cases/expressions.ts';
import { FLOW_CONTROL_CASES } from './cases/flow-control.ts';
import { GRANT_CASES } from './cases/grants.ts';
import { HEAD_CASES } from './cases/heads.ts';
import { INFORMER_CASES } from './cases/informers.ts';
import { KEY_CASES } from './cases/keys.ts';
import { KIND_CASES } from './cases/kinds.ts';
import { COMMAND_CASES } from './cases/outside/commands.ts';
import { CONVERSION_CASES } from './cases/outside/conversions.ts';
import { EXTENSION_SERVER_CASES } from './cases/outside/extension-servers.ts';
import { ISSUER_CASES } from './cases/outside/issuers.ts';
import { RAW_BACKEND_CASES } from './cases/outside/raw-backends.ts';
import { REVIEW_CASES } from './cases/outside/reviews.ts';
import { WEBHOOK_CASES } from './cases/outside/webhooks.ts';
import { PATTERN_CASES } from './cases/patterns.ts';
import { PLUGIN_CASES } from './cases/plugins.ts';
import { POLICY_CASES } from './cases/policies.ts';
import { PROXY_CASES } from './cases/proxies.ts';
import { SELECTOR_CASES } from './cases/selectors.ts';
import { STATUS_CASES } from './cases/statuses.ts';
import { STORE_CASES } from './cases/store.ts';
import { STORED_CASES } from './cases/stored.ts';
import { UPDATE_CASES } from './cases/updates.ts';
import { AMOUNT_CASES, CERTIFICATE_CASES } from './cases/values.ts';
import { WRITE_CASES } from './cases/writes.ts';
import { YAML_CASES } from './cases/yaml.ts';
import type { HostileCase, HostilePeers } from './hostile-case.ts';
import { startHostileIssuers } from './hostile-issuers.ts';
import { startHostileReviewers } from './hostile-reviewers.ts';

/** Cases by area. An area is a file of `cases/` and a line here. */
type Corpus = Readonly<Record<string, readonly HostileCase[]>>;

const CORPUS: Corpus = {
  accesses: ACCESS_CASES,
  amounts: AMOUNT_CASES,
  anonymous: ANONYMOUS_CASES,
  'anonymous floods': ANONYMOUS_FLOOD_CASES,
  binary: BINARY_CASES,
  bodies: BODY_CASES,
  certificates: CERTIFICATE_CASES,
  commands: COMMAND_CASES,
  connections: CONNECTION_CASES,
  conversions: CONVERSION_CASES,
  'custom metadata': CUSTOM_METADATA_CASES,
  'crowds of admission': ADMISSION_CROWD_CASES,
  definitions: DEFINITION_CASES,
  documents: DOCUMENT_CASES,
  'extension servers': EXTENSION_SERVER_CASES,
  'raw backends': RAW_BACKEND_CASES,
  statuses: STATUS_CASES,
  store: STORE_CASES,
  stored: STORED_CASES,
  webhooks: WEBHOOK_CASES,
  writes: WRITE_CASES,
  grants: GRANT_CASES,
  heads: HEAD_CASES,
  informers: INFORMER_CASES,
  issuers: ISSUER_CASES,
  yaml: YAML_CASES,
  patterns: PATTERN_CASES,
  plugins: PLUGIN_CASES,
  policies: POLICY_CASES,
  proxies: PROXY_CASES,
  expressions: EXPRESSION_CASES,
  selectors: SELECTOR_CASES,
  kinds: KIND_CASES,
  'long keys': KEY_CASES,
  updates: UPDATE_CASES,
  defaults: DEFAULT_CASES,
  'flow control': FLOW_CONTROL_CASES,
};

/** All cases, by the peers of the server under attack. */
export const CORPORA: Readonly<Record<string, { readonly corpus: Corpus; start(): Promise<HostilePeers> }>> = {
  'beside issuers of tokens': { corpus: CORPUS, start: startHostileIssuers },
  'beside webhooks for reviews': { corpus: { reviews: REVIEW_CASES }, start: startHostileReviewers },
};
