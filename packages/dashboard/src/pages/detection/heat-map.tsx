import { useEffect, useRef } from 'preact/hooks'

/** Weaker cells are not drawn. */
const SHOWN = 0.02

/** A score map as a veil over a picture: the higher a place usually scores, the denser it is. */
export function HeatMap({ map }: { map: readonly number[] }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const side = Math.round(Math.sqrt(map.length))
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (context == null) return
    const image = context.createImageData(side, side)
    for (const [cell, value] of map.entries()) {
      // Amber to red, and never so dense that the picture is hidden.
      const strength = value < SHOWN ? 0 : Math.min(1, Math.sqrt(value))
      image.data.set([240, Math.round(170 * (1 - strength)), 40, Math.round(200 * strength)], cell * 4)
    }
    context.putImageData(image, 0, 0)
  }, [map, side])
  return (
    <canvas
      ref={canvas}
      class="heat"
      width={side}
      height={side}
      role="img"
      aria-label="Where this camera usually scores"
    />
  )
}
