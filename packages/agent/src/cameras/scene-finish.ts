import { captionPath } from './scene-caption.js'
import { PICTURE } from './scene-geometry.js'
import { makeRandom } from './scene-random.js'

const { width: W, height: H } = PICTURE
const COVER = `width="${W}" height="${H}"`

/** Filters and gradients that every picture uses; the noise differs from picture to picture. */
export function definitions(seed: number, frame: number): string {
  const noise = Math.abs(seed * 31 + frame * 7) % 1000
  const stop = (offset: number, colour: string, opacity: number): string =>
    `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity}"/>`
  return [
    '<defs><filter id="far" x="-5%" y="-20%" width="110%" height="140%"><feGaussianBlur stdDeviation="4"/></filter>',
    '<filter id="soft"><feGaussianBlur stdDeviation="5"/></filter>',
    // A small tile of noise is repeated: noise over the whole picture would cost several times as much.
    `<filter id="grain" x="0" y="0" width="100%" height="100%"><feTurbulence type="fractalNoise" baseFrequency=".85" numOctaves="1" seed="${noise}"/>`,
    '<feColorMatrix values="0 0 0 0 .8 0 0 0 0 .8 0 0 0 0 .8 .6 .2 0 0 -.38"/></filter>',
    '<pattern id="noise" width="160" height="120" patternUnits="userSpaceOnUse"><rect width="160" height="120" filter="url(#grain)"/></pattern>',
    `<radialGradient id="vignette" cx=".5" cy=".5" r=".75">${stop(0.55, '#000', 0)}${stop(1, '#000', 0.45)}</radialGradient>`,
    `<radialGradient id="under">${stop(0.3, '#000', 0.45)}${stop(1, '#000', 0)}</radialGradient>`,
    `<radialGradient id="lamp">${stop(0, '#fff', 0.2)}${stop(0.4, '#fff', 0.08)}${stop(1, '#fff', 0)}</radialGradient>`,
    `<linearGradient id="sheen" x1="0" y1="0" x2=".7" y2="1">${stop(0, '#fff', 0.22)}${stop(0.5, '#fff', 0.03)}${stop(1, '#000', 0.25)}</linearGradient></defs>`,
  ].join('')
}

/** What the camera adds: darker corners, a colour cast, flicker, noise, and a caption. */
export function drawFinish(seed: number, frame: number, caption: string | undefined): string {
  const random = makeRandom(seed, 5)
  const tint = random.pick(['#ffb060', '#80b0ff', '#ffffff', '#000000', '#a080ff'])
  const cast = random.range(0, 0.09).toFixed(3)
  const flicker = makeRandom(frame, 12).range(0, 0.05).toFixed(3)
  const cover = (fill: string, opacity: string): string => `<rect ${COVER} fill="${fill}" fill-opacity="${opacity}"/>`
  let text = cover('url(#vignette)', '1') + cover(tint, cast) + cover('#000', flicker) + cover('url(#noise)', '1')
  if (caption) {
    const letters = `<path d="${captionPath(caption, 14, H - 24)}" fill="none" stroke-linecap="round" stroke-linejoin="round"`
    text += `${letters} stroke="#000" stroke-opacity=".6" stroke-width="4"/>${letters} stroke="#fff" stroke-width="1.6"/>`
  }
  return text
}
