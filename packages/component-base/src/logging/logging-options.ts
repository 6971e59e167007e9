import type { FieldError } from '@apiserver/apimachinery/field';
import { FieldPath, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import type { FlagSet } from '../flags/flag-set.js';
import type { FlagValue } from '../flags/flag-value.js';
import { field } from '../flags/flag-value.js';
import type { LogFormat } from './log-output.js';
import type { VModulePattern } from './vmodule.js';
import { formatVModule, parseVerbosity, parseVModule } from './vmodule.js';

const formats: readonly string[] = ['json', 'text'] satisfies LogFormat[];

/** Options of logging. Upstream: k8s.io/component-base/logs/api/v1.LoggingConfiguration */
export class LoggingOptions {
  /** `--logging-format`: text or json. */
  format = 'text';
  /** `-v`, `--v`. */
  verbosity = 0;
  /** `--vmodule`. */
  vmodule: readonly VModulePattern[] = [];
  /** `--log-flush-frequency`, in milliseconds: the longest delay of a line. Only lines of a start are delayed. */
  flushFrequency = 5_000;

  addFlags(flags: FlagSet): void {
    flags.duration(
      'log-flush-frequency',
      field(this, 'flushFrequency'),
      'Maximum time between log flushes while the server starts. Later each line is written at once.',
    );
    flags.string('logging-format', field(this, 'format'), `Format of log lines: ${formats.join(', ')}.`);
    flags.add('v', this.#verbosityValue(), 'Verbosity of the log; 2 is recommended for a running cluster.', {
      shorthand: 'v',
    });
    flags.add(
      'vmodule',
      this.#vmoduleValue(),
      'Comma-separated pattern=N pairs that set the verbosity of components whose names match; text format only.',
    );
  }

  validate(): readonly FieldError[] {
    const errors: FieldError[] = [];
    if (!formats.includes(this.format)) {
      errors.push(fieldInvalid(FieldPath.of('format'), this.format, 'Unsupported log format'));
    }
    if (this.vmodule.length > 0 && this.format !== 'text') {
      errors.push(fieldForbidden(FieldPath.of('vmodule'), 'Only supported for text log format'));
    }
    return errors;
  }

  #verbosityValue(): FlagValue {
    return {
      typeName: 'Level',
      isBoolean: false,
      set: (text) => {
        this.verbosity = parseVerbosity(text);
      },
      toString: () => String(this.verbosity),
      defaultText: undefined,
    };
  }

  /** Each occurrence adds patterns. */
  #vmoduleValue(): FlagValue {
    return {
      typeName: 'pattern=N,...',
      isBoolean: false,
      set: (text) => {
        this.vmodule = [...this.vmodule, ...parseVModule(text)];
      },
      toString: () => formatVModule(this.vmodule),
      defaultText: undefined,
    };
  }
}
