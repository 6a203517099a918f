// Runs before tsx and in plain JavaScript, so that an old Node gets a sentence instead of a syntax error.
const REQUIRED = [20, 19];

/** Whether a Node version (`20.19.0`) is new enough. */
export function isSupportedNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > REQUIRED[0] || (major === REQUIRED[0] && minor >= REQUIRED[1]);
}

if (!isSupportedNode(process.versions.node)) {
  process.stderr.write(
    `Node ${process.versions.node} is too old: install Node ${REQUIRED.join('.')} or newer, then run the command again.\n`,
  );
  process.exit(1);
}
