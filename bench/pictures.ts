import sharp from 'sharp'

/** Something like a webcam's picture: smooth areas with noise over them, so that it compresses as a photo does. */
export async function webcamPicture(width: number, height: number, seed: number): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<filter id="n"><feTurbulence type="fractalNoise" baseFrequency="0.8" numOctaves="2" seed="${seed}"/><feColorMatrix values="0 0 0 0 .5 0 0 0 0 .5 0 0 0 0 .5 0 0 0 .25 0"/></filter>
<rect width="100%" height="100%" fill="#38424a"/><rect x="12%" y="55%" width="76%" height="32%" fill="#6d5a3d"/>
<circle cx="50%" cy="56%" r="14%" fill="#d2722c"/><rect width="100%" height="100%" filter="url(#n)"/></svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer()
}
