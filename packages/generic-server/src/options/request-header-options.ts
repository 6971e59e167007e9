import type { RequestHeaderConfig } from '@apiserver/authentication';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { type AuthoritySource, bundleOf } from '../dynamic-certificates/authority-source.js';
import type { FollowingProcess } from '../dynamic-certificates/dynamic-files.js';
import { clientCAContent } from '../dynamic-certificates/serving-content.js';

/** A trusted front proxy, and its authorities. */
export interface RequestHeaderTrust extends RequestHeaderConfig {
  readonly authorities: AuthoritySource;
}

/**
 * Authentication by headers of a proxy: `--requestheader-*` of the "authentication" section.
 * Upstream: k8s.io/apiserver/pkg/server/options.RequestHeaderAuthenticationOptions
 */
export class RequestHeaderOptions {
  /** `--requestheader-client-ca-file`; "": no proxy is trusted. */
  clientCAFile = '';
  /** `--requestheader-allowed-names`; empty: every name. */
  allowedNames: readonly string[] = [];
  /** `--requestheader-username-headers` */
  usernameHeaders: readonly string[] = [];
  /** `--requestheader-uid-headers` */
  uidHeaders: readonly string[] = [];
  /** `--requestheader-group-headers` */
  groupHeaders: readonly string[] = [];
  /** `--requestheader-extra-headers-prefix` */
  extraHeaderPrefixes: readonly string[] = [];

  addFlags(flags: FlagSet): void {
    flags.string(
      'requestheader-client-ca-file',
      field(this, 'clientCAFile'),
      'PEM file of certificate authorities that verify the client certificates of authenticating proxies. User names in --requestheader-username-headers are trusted only from such proxies. Requests through a proxy are not authorized by it.',
    );
    flags.stringSlice(
      'requestheader-allowed-names',
      field(this, 'allowedNames'),
      'Comma-separated common names of client certificates that may give user names in request headers. None: every certificate that --requestheader-client-ca-file verifies.',
    );
    flags.stringSlice(
      'requestheader-username-headers',
      field(this, 'usernameHeaders'),
      'Request headers with the user name. X-Remote-User is common.',
    );
    flags.stringSlice(
      'requestheader-uid-headers',
      field(this, 'uidHeaders'),
      'Request headers with the UID. X-Remote-Uid is suggested.',
    );
    flags.stringSlice(
      'requestheader-group-headers',
      field(this, 'groupHeaders'),
      'Request headers with groups. X-Remote-Group is suggested.',
    );
    flags.stringSlice(
      'requestheader-extra-headers-prefix',
      field(this, 'extraHeaderPrefixes'),
      'Prefixes of request headers with extra attributes. X-Remote-Extra- is suggested.',
    );
  }

  /** `uidHeaders`: the feature gate RemoteRequestHeaderUID. */
  validate(uidHeaders = true): readonly Error[] {
    const lists: readonly (readonly [string, readonly string[]])[] = [
      ['requestheader-username-headers', this.usernameHeaders],
      ['requestheader-group-headers', this.groupHeaders],
      ['requestheader-extra-headers-prefix', this.extraHeaderPrefixes],
      ['requestheader-allowed-names', this.allowedNames],
      ['requestheader-uid-headers', uidHeaders ? this.uidHeaders : []],
    ];
    const empty = lists.flatMap(([flag, values]) =>
      values.some((value) => value.trim() === '') ? [`empty value in "${flag}"`] : [],
    );
    // These headers are newer than the others. Upstream rejects values for which it only warns there.
    const unusual = withoutStandard('uid-headers', this.uidHeaders, 'X-Remote-Uid header');
    const isOff = !uidHeaders && this.uidHeaders.length > 0;
    const uid = isOff
      ? ['--requestheader-uid-headers requires the "RemoteRequestHeaderUID" feature to be enabled']
      : unusual;
    return [...empty, ...uid].map((message) => new Error(message));
  }

  /** Warnings about unusual headers, which aggregated servers do not expect. */
  warnings(): readonly string[] {
    const usual: readonly (readonly [string, readonly string[], string])[] = [
      ['username-headers', this.usernameHeaders, 'X-Remote-User header'],
      ['group-headers', this.groupHeaders, 'X-Remote-Group header'],
      ['extra-headers-prefix', this.extraHeaderPrefixes, 'X-Remote-Extra- header prefix'],
    ];
    return usual.flatMap(([flag, values, standard]) => withoutStandard(flag, values, standard));
  }

  /** Undefined: no proxy is trusted. Throws an Error when the file cannot be read or holds no certificates. */
  load(process: FollowingProcess): RequestHeaderTrust | undefined {
    if (this.clientCAFile === '') return undefined;
    const authorities = clientCAContent(this.clientCAFile, process, { purpose: 'request-header' });
    const trimmed = (values: readonly string[]): readonly string[] => values.map((value) => value.trim());
    return {
      authorities,
      clientCAs: () => bundleOf(authorities),
      allowedNames: this.allowedNames,
      usernameHeaders: trimmed(this.usernameHeaders),
      uidHeaders: trimmed(this.uidHeaders),
      groupHeaders: trimmed(this.groupHeaders),
      extraHeaderPrefixes: trimmed(this.extraHeaderPrefixes),
    };
  }
}

/** A message for headers that do not include the standard one, which extension servers read. */
function withoutStandard(flag: string, values: readonly string[], standard: string): readonly string[] {
  const [name = ''] = standard.toLowerCase().split(' ');
  if (values.length === 0 || values.some((value) => value.toLowerCase() === name)) return [];
  return [`--requestheader-${flag} is set without specifying the standard ${standard} - API aggregation will not work`];
}
