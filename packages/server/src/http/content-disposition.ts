/**
 * `Content-Disposition` of a file that is saved (RFC 6266). The plain name is for old clients and has nothing that could end the
 * quoted text or the line; the other one (RFC 8187) is the name as it is.
 */
export function attachmentHeader(name: string | undefined): string {
  if (name === undefined) return 'attachment'
  const plain = name.replaceAll(/[^A-Za-z0-9 ._()-]/g, '_')
  const whole = name.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '_')
  const encoded = encodeURIComponent(whole).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
