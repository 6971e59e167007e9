import { setImmediate } from 'node:timers/promises';
import { groupVersions, loadDescriptions } from '@apiserver/api';
import type { GroupVersion } from '@apiserver/apimachinery';
import { inSlices, TimeSlice } from '@apiserver/apimachinery/clock';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import type { InstalledResource } from '@apiserver/apiserver-contracts';
import { type ServedGroup, type ServedVersion, servedGroups } from '../discovery/served-group.js';
import { resourcePolicyOf } from '../semantics/policies.js';
import type { DocumentContext } from './definitions-of-routes.js';
import {
  coreRootRoute,
  groupListRoute,
  groupRoute,
  keySetRoute,
  openIdConfigurationRoute,
  resourceListRoute,
  versionRoute,
} from './discovery-routes.js';
import { documentV2 } from './document-v2.js';
import { documentV3 } from './document-v3.js';
import { type FragmentV2, fragmentV2, type SharedTexts } from './fragment-v2.js';
import { servedKinds } from './known-kinds.js';
import { mergeFragments, type ServedFragment } from './merge-fragments.js';
import type { OpenApiOptions } from './open-api-options.js';
import type { OpenApiRoute } from './open-api-route.js';
import { encodeDocumentV2 } from './protobuf-v2.js';
import { encodeDocumentV3 } from './protobuf-v3.js';
import type { SpecTexts } from './remote/merge-remote-spec.js';
import { resourceRoutes } from './resource-routes.js';
import { type VerbParameters, verbParameters } from './route-parameters.js';
import { jsonText } from './serialized/json-text.js';
import { noProtobuf, type SerializedDocument, serializeDocument } from './serialized/serialized-document.js';
import { sharedOnce } from './serialized/shared-once.js';

/** All documents of a server, each built on demand. */
export interface OpenApiDocuments {
  v2(): Promise<SerializedDocument>;
  /** The list of the v3 documents, with their hashes. */
  v3Index(): Promise<SerializedDocument>;
  /** `api/v1`, `apis/apps/v1`, `version` …; undefined for an unknown name. */
  v3(name: string): Promise<SerializedDocument | undefined>;
}

/** The routes that make up one v3 document. */
interface Section {
  /** `apis/apps/v1` */
  readonly name: string;
  readonly routes: () => Iterable<OpenApiRoute>;
  /** The content of the section. The document is reused until it changes. */
  readonly madeOf: readonly InstalledResource[];
  readonly groupVersion?: GroupVersion;
  /** The group version with its resources. */
  readonly served?: ServedGroup;
  /** True if the server writes the document itself; otherwise the controller of definitions does. */
  readonly isInScheme: boolean;
}

interface Kept {
  readonly madeOf: readonly InstalledResource[];
  readonly document: () => Promise<SerializedDocument>;
}

interface KeptFragment {
  readonly madeOf: readonly InstalledResource[];
  readonly fragment: FragmentV2;
}

/** Builds the documents of the currently installed resources; documents of unchanged ones are kept. */
export async function createOpenApiDocuments(options: OpenApiOptions): Promise<OpenApiDocuments> {
  const load = options.describe ?? (() => loadDescriptions(groupVersions));
  return new Documents(options, await load());
}

class Documents implements OpenApiDocuments {
  readonly #options: OpenApiOptions;
  readonly #describe: DocumentContext['describe'];
  readonly #parameters: VerbParameters;
  readonly #now: () => number;
  /** v3 documents by name, cached until their resources change. */
  readonly #kept = new Map<string, Kept>();
  /** The parts of sections in the document of version 2, likewise. */
  readonly #fragments = new Map<string, KeptFragment>();
  readonly #texts: SharedTexts = { parameterNames: new Map(), definitions: new Map() };
  /** Undefined after a change of the installed groups. */
  #groups: readonly ServedGroup[] | undefined;
  /** These two are rebuilt after every change. */
  v2 = sharedOnce(() => this.#buildV2());
  v3Index = sharedOnce(() => this.#buildIndex());

  constructor(options: OpenApiOptions, describe: DocumentContext['describe']) {
    this.#options = options;
    this.#describe = describe;
    this.#parameters = verbParameters(describe);
    this.#now = options.now ?? Date.now;
    options.container.onChange(() => {
      this.#groups = undefined;
      this.v2 = sharedOnce(() => this.#buildV2());
      this.v3Index = sharedOnce(() => this.#buildIndex());
    });
    options.remote?.onChange((version) => {
      if (version === 'v2') this.v2 = sharedOnce(() => this.#buildV2());
      else this.v3Index = sharedOnce(() => this.#buildIndex());
    });
  }

  async v3(name: string): Promise<SerializedDocument | undefined> {
    const section = this.#sections().find((candidate) => candidate.name === name);
    return section === undefined ? undefined : this.#section(section);
  }

  async #buildV2(): Promise<SerializedDocument> {
    const everyGroupVersion = this.#everyGroupVersion();
    const fragments: ServedFragment[] = [];
    const sections = this.#sections();
    for (const section of sections) {
      const fragment = await this.#fragment(section);
      const { isInScheme, served } = section;
      fragments.push({ fragment, isInScheme, kinds: servedKinds(served === undefined ? [] : [served]) });
    }
    this.#forgetOthers(sections);
    const parts = await mergeFragments(fragments, everyGroupVersion);
    await this.#mergeRemotes(parts);
    const text = documentV2(parts, this.#info());
    await setImmediate();
    return await serializeDocument(text, this.#now(), encodeDocumentV2);
  }

  /** Adds the documents of other servers. One that cannot be merged is left out. */
  async #mergeRemotes(parts: SpecTexts): Promise<void> {
    const { remote, logger } = this.#options;
    const specs = remote?.specs() ?? [];
    if (specs.length === 0) return;
    const { mergeRemoteSpec } = await import('./remote/merge-remote-spec.js');
    const slice = new TimeSlice();
    for (const { name, spec } of specs) {
      try {
        await mergeRemoteSpec(parts, spec, slice);
      } catch (error) {
        logger.warning('Cannot merge the OpenAPI document of a server', { apiService: name, error: String(error) });
      }
    }
  }

  async #buildIndex(): Promise<SerializedDocument> {
    const urls = new Map(this.#options.remote?.urls());
    const sections = this.#sections();
    for (const section of sections) {
      const { hash } = await this.#section(section);
      urls.set(section.name, relativeUrl(section.name, hash));
      await setImmediate();
    }
    this.#forgetOthers(sections);
    const sorted = [...urls].sort(([a], [b]) => (a < b ? -1 : 1));
    const paths = Object.fromEntries(sorted.map(([name, serverRelativeURL]) => [name, { serverRelativeURL }]));
    return await serializeDocument(JSON.stringify({ paths }), this.#now(), noProtobuf);
  }

  #section(section: Section): Promise<SerializedDocument> {
    const kept = this.#kept.get(section.name);
    if (kept !== undefined && isSame(kept.madeOf, section.madeOf)) return kept.document();
    const document = sharedOnce(() => this.#buildV3(section));
    this.#kept.set(section.name, { madeOf: section.madeOf, document });
    return document();
  }

  /** The part of a section in the document of version 2. */
  async #fragment({ name, madeOf, routes }: Section): Promise<FragmentV2> {
    const kept = this.#fragments.get(name);
    if (kept !== undefined && isSame(kept.madeOf, madeOf)) return kept.fragment;
    const { enums = true } = this.#options;
    const fragment = await inSlices(fragmentV2(routes(), { enums, describe: this.#describe }, this.#texts));
    this.#fragments.set(name, { madeOf, fragment });
    await setImmediate();
    return fragment;
  }

  async #buildV3({ routes, groupVersion, isInScheme, served }: Section): Promise<SerializedDocument> {
    const own = [{ group: '', version: 'v1' }, ...(groupVersion === undefined ? [] : [groupVersion])];
    // Building the structure of every definition for the document of one would take long.
    const groups = isInScheme || served === undefined ? this.#servedInScheme() : [served];
    const context = { ...this.#context(groups), ...(!isInScheme && publishedDocument) };
    const everyGroupVersion = isInScheme ? uniqueGroupVersions(own) : this.#clientGroupVersions();
    // A large definition takes tens of milliseconds in each of these steps.
    await setImmediate();
    const document = await documentV3(routes(), context, everyGroupVersion);
    await setImmediate();
    const text = await inSlices(jsonText(document, PARTS_DEPTH));
    await setImmediate();
    return await serializeDocument(text, this.#now(), encodeDocumentV3);
  }

  #served(): readonly ServedGroup[] {
    this.#groups ??= servedGroups(this.#options.container.installed());
    return this.#groups;
  }

  /** The groups whose documents the server writes itself. Custom kinds may have the names of their definitions. */
  #servedInScheme(): readonly ServedGroup[] {
    return this.#served().map((served) => ({ ...served, versions: served.versions.filter(isInScheme) }));
  }

  /** Lets go of what is kept of sections that are gone. */
  #forgetOthers(sections: readonly Section[]): void {
    const names = new Set(sections.map(({ name }) => name));
    for (const kept of [this.#kept, this.#fragments]) {
      for (const name of kept.keys()) if (!names.has(name)) kept.delete(name);
    }
    const defined = new Set([...this.#fragments.values()].flatMap(({ fragment }) => [...fragment.definitions.keys()]));
    for (const name of this.#texts.definitions.keys()) if (!defined.has(name)) this.#texts.definitions.delete(name);
  }

  #sections(): readonly Section[] {
    const groups = this.#served();
    const fixed = [
      section('apis', groupListRoute),
      ...(groups.some(({ group }) => group === '') ? [section('api', coreRootRoute)] : []),
      ...(this.#options.hasVersionPath === false ? [] : [section('version', versionRoute)]),
      ...(this.#options.hasOpenIdPaths === true ? openIdSections : []),
    ];
    return [...fixed, ...groups.flatMap((group) => this.#groupSections(group))];
  }

  #groupSections(group: ServedGroup): readonly Section[] {
    const root = group.group === '' ? 'api' : `apis/${group.group}`;
    const isDocumented = group.group !== '' && group.versions.some(documentsDiscovery);
    const own = isDocumented ? [section(root, () => groupRoute(group))] : [];
    return [...own, ...group.versions.map((served) => this.#versionSection(root, group.group, served))];
  }

  #versionSection(root: string, group: string, served: ServedVersion): Section {
    return {
      name: `${root}/${served.version}`,
      madeOf: served.resources,
      groupVersion: { group, version: served.version },
      isInScheme: isInScheme(served),
      served: { group, versions: [served] },
      routes: () => this.#versionRoutes(group, served),
    };
  }

  *#versionRoutes(group: string, served: ServedVersion): Generator<OpenApiRoute, void> {
    if (documentsDiscovery(served)) yield resourceListRoute(group, served);
    yield* resourceRoutes(group, served, this.#parameters, this.#describe);
  }

  #everyGroupVersion(): readonly GroupVersion[] {
    const served = this.#served().flatMap(({ group, versions }) =>
      versions.filter(isInScheme).map(({ version }) => ({ group, version })),
    );
    return uniqueGroupVersions([{ group: '', version: 'v1' }, ...served, ...this.#knownGroupVersions()]);
  }

  #knownGroupVersions(): readonly GroupVersion[] {
    return (this.#options.knownGroupVersions ?? []).filter(({ group }) => !DOCUMENT_GROUPS.has(group));
  }

  /** The group versions of Go's client library. */
  #clientGroupVersions(): readonly GroupVersion[] {
    const known = this.#knownGroupVersions().filter(({ group }) => !UNKNOWN_TO_CLIENTS.has(group));
    return uniqueGroupVersions([{ group: '', version: 'v1' }, ...known]);
  }

  /** `groups` have the kinds that definitions name. */
  #context(groups: readonly ServedGroup[]): DocumentContext {
    const { enums = true } = this.#options;
    return { ...this.#info(), enums, describe: this.#describe, kinds: servedKinds(groups) };
  }

  #info(): Pick<DocumentContext, 'info' | 'bearerTokens'> {
    const { info, bearerTokens = true } = this.#options;
    return { info: { title: 'Kubernetes', version: 'unversioned', ...info }, bearerTokens };
  }
}

/** The schemas of a document's components are that deep. */
const PARTS_DEPTH = 2;

/** Groups of documents without requests of their own. */
const DOCUMENT_GROUPS: ReadonlySet<string> = new Set(['meta.k8s.io', 'apidiscovery.k8s.io', 'audit.k8s.io']);

/** Groups of other servers, which client-go's scheme does not contain. Upstream: k8s.io/client-go/kubernetes/scheme */
const UNKNOWN_TO_CLIENTS: ReadonlySet<string> = new Set([
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
]);

/** Upstream: getOpenAPIV3Config of k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go */
const publishedDocument = {
  info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
  bearerTokens: false,
} as const;

function isInScheme({ resources }: ServedVersion): boolean {
  return resources.some(({ definition }) => resourcePolicyOf(definition).openApi.isInScheme);
}

function documentsDiscovery({ resources }: ServedVersion): boolean {
  return resources.some(({ definition }) => resourcePolicyOf(definition).openApi.documentsDiscovery);
}

function section(name: string, route: () => OpenApiRoute): Section {
  return { name, madeOf: [], isInScheme: true, routes: () => [route()] };
}

const openIdSections: readonly Section[] = [
  section('.well-known/openid-configuration', openIdConfigurationRoute),
  section('openid/v1/jwks', keySetRoute),
];

function isSame(a: readonly InstalledResource[], b: readonly InstalledResource[]): boolean {
  return a.length === b.length && a.every((resource, at) => resource === b[at]);
}

/** Sorts by group and version, without duplicates. */
function uniqueGroupVersions(groupVersions: readonly GroupVersion[]): readonly GroupVersion[] {
  const unique = new Map(
    groupVersions.map(({ group, version }) => [stringifyJson([group, version]), { group, version }]),
  );
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, groupVersion]) => groupVersion);
}

/** The URL of a document with this hash in the index. */
export function relativeUrl(name: string, hash: string): string {
  return `/openapi/v3/${name}?hash=${hash}`;
}
