// The table of the classes that draw each type of overlay.
import type { LayerData } from '../layer_data';
import { BoxesLayer } from './boxes';
import { ContactsLayer } from './contacts';
import { DepthMapLayer } from './depth_map';
import type { Context, LayerView } from './layer';
import { PathLayer } from './path';
import { SpheresLayer } from './spheres';
import { VolumeLayer } from './volume';

export function makeLayer(data: LayerData, context: Context): LayerView {
    switch (data.type) {
        case 'boxes': return new BoxesLayer(data, context);
        case 'spheres': return new SpheresLayer(data, context);
        case 'path': return new PathLayer(data, context);
        case 'contacts': return new ContactsLayer(data, context);
        case 'volume': return new VolumeLayer(data, context);
        case 'depth_map': return new DepthMapLayer(data, context);
    }
}
