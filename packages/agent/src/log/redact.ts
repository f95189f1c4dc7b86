/**
 * Makes a function that takes secrets out of a line of text: the given ones wherever they stand, and the user and password
 * of any URL. Working on the finished line, it needs no list of the fields in which a secret might turn up.
 */
export function makeRedact(secrets: readonly string[]): (line: string) => string {
  const known = secrets.filter((secret) => secret.length >= 4)
  return (line) => {
    const withoutSecrets = known.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), line)
    return withoutSecrets.replace(/(\w:\/\/)[^/\s"@]+@/g, '$1[redacted]@')
  }
}
