import { type AdmissionPluginDefinition, orderedPlugins } from '@apiserver/admission';
import { type FlagSet, field } from '@apiserver/component-base/flags';

/**
 * The enabled admission plugins, and their configuration: the "admission" section.
 * Upstream: pkg/kubeapiserver/options.AdmissionOptions
 */
export class AdmissionOptions {
  /** `--enable-admission-plugins`: in addition to the default plugins */
  enabled: readonly string[] = [];
  /** `--disable-admission-plugins`: default plugins that do not run */
  disabled: readonly string[] = [];
  /** `--admission-control`: exactly these plugins. Deprecated; empty if it is not given. */
  exactly: readonly string[] = [];
  /** `--admission-control-config-file`; "" for none */
  configFile = '';
  /** `--default-not-ready-toleration-seconds` */
  notReadyTolerationSeconds = 300;
  /** `--default-unreachable-toleration-seconds` */
  unreachableTolerationSeconds = 300;

  addFlags(flags: FlagSet): void {
    const names = orderedPlugins
      .map(({ name }) => name)
      .sort()
      .join(', ');
    flags.stringSlice('admission-control', field(this, 'exactly'), `Admission plugins, and no others: ${names}.`, {
      deprecated:
        'Use --enable-admission-plugins or --disable-admission-plugins instead. Will be removed in a future version.',
    });
    flags.stringSlice(
      'enable-admission-plugins',
      field(this, 'enabled'),
      `Admission plugins to enable in addition to the default ones (${listed(({ defaultOn }) => defaultOn)}). Comma separated: ${names}. Their order does not matter.`,
    );
    flags.stringSlice(
      'disable-admission-plugins',
      field(this, 'disabled'),
      `Admission plugins to disable although they are on by default (${listed(({ defaultOn }) => defaultOn)}). Comma separated: ${names}. Their order does not matter.`,
    );
    flags.string(
      'admission-control-config-file',
      field(this, 'configFile'),
      'File with the configurations of admission plugins, an AdmissionConfiguration.',
    );
  }

  /**
   * Flags that upstream registers in the generic section.
   * Upstream: AddCustomGlobalFlags of cmd/kube-apiserver/app/options
   */
  addGenericFlags(flags: FlagSet): void {
    flags.int(
      'default-not-ready-toleration-seconds',
      field(this, 'notReadyTolerationSeconds'),
      'Default tolerationSeconds of pods for the taint of nodes that are not ready.',
    );
    flags.int(
      'default-unreachable-toleration-seconds',
      field(this, 'unreachableTolerationSeconds'),
      'Default tolerationSeconds of pods for the taint of unreachable nodes.',
    );
  }

  validate(): readonly Error[] {
    return [
      ...this.#validateExactly(),
      ...this.#unknown('enable-admission-plugins', this.enabled),
      ...this.#unknown('disable-admission-plugins', this.disabled),
      ...this.#validateOverlap(),
    ];
  }

  /** The plugins to run, in order. Call `validate` first. Upstream: enabledPluginNames */
  get plugins(): readonly AdmissionPluginDefinition[] {
    if (this.exactly.length > 0) return orderedPlugins.filter(({ name }) => this.exactly.includes(name));
    return orderedPlugins.filter(
      ({ name, defaultOn }) => this.enabled.includes(name) || (defaultOn && !this.disabled.includes(name)),
    );
  }

  #validateExactly(): Error[] {
    const errors = this.#unknown('admission-control', this.exactly);
    if (this.exactly.length === 0 || (this.enabled.length === 0 && this.disabled.length === 0)) return errors;
    const flags = 'admission-control and enable-admission-plugins/disable-admission-plugins flags';
    return [new Error(`${flags} are mutually exclusive`), ...errors];
  }

  #unknown(flag: string, names: readonly string[]): Error[] {
    const unknown = names.filter((name) => !orderedPlugins.some((known) => known.name === name));
    return unknown.map((name) => new Error(`${flag} plugin "${name}" is unknown`));
  }

  #validateOverlap(): Error[] {
    const both = this.enabled.filter((name) => this.disabled.includes(name)).sort();
    if (both.length === 0) return [];
    const names = [...new Set(both)].join(' ');
    return [new Error(`[${names}] in enable-admission-plugins and disable-admission-plugins overlapped`)];
  }
}

function listed(choose: (plugin: AdmissionPluginDefinition) => boolean): string {
  return orderedPlugins
    .filter(choose)
    .map(({ name }) => name)
    .join(', ');
}
